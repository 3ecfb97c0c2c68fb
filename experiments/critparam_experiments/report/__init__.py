"""What results say, in words and tables."""
