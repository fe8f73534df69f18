-- Datasets of which every arrival was withdrawn, so that a model whose arrivals were taken
-- back is told from one whose arrivals the disk lost. Never edited.
CREATE TABLE emptied (
    dataset_no INTEGER PRIMARY KEY REFERENCES datasets (no)
) STRICT;
