enum FolioCPlaceholder {}
