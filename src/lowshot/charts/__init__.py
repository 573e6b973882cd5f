"""What pictures show, as data that others only draw.

progress       the estimate against labels
along_ranking  what a design believed along the ranking, and where labels fell
style          colours
"""
