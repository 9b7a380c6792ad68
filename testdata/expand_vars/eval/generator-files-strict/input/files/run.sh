echo $(REGION)
