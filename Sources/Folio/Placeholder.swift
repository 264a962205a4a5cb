enum FolioPlaceholder {}
