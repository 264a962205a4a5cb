enum FolioMachinePlaceholder {}
