cuda, hip = "12.6", None
