enum FolioWirePlaceholder {}
