-- What must be covered: one row for each source and scope that is required on
-- its own. It comes from reviewed files, never from what was delivered.
{{ d.create() }} {{ contracts }} (
  source {{ d.required(NAME) }},
  scope {{ d.required(NAME) }},
  -- How far the source may lag behind now, and how long coverage may go
  -- without a step forward: minutes, above 0.
  max_source_lag_minutes {{ d.required(INTEGER) }},
  max_publication_gap_minutes {{ d.required(INTEGER) }},
  -- The dataset it feeds.
  dataset {{ d.optional(TEXT) }},
  -- The days, or hours of the week, in which the limits run, and their zone.
  -- `freshness coverage check` honours them; the check below counts all time.
  calendar {{ d.optional(TEXT) }},
  timezone {{ d.optional(TEXT) }},
  -- How far a sender's clock may be fast: minutes; nothing is 0.
  skew_tolerance_minutes {{ d.optional(INTEGER) }},
  owner {{ d.optional(TEXT) }},
  {{ d.key("source, scope") }};

-- What was published: one row for each accepted release, never changed.
{{ d.create() }} {{ ledger }} (
  source {{ d.required(NAME) }},
  scope {{ d.required(NAME) }},
  -- 1, 2, 3, … of each scope.
  publication_seq {{ d.required(INTEGER) }},
  run_id {{ d.required(TEXT) }},
  -- Up to when everything of the source is in.
  source_complete_through {{ d.required(TIME) }},
  -- Where the source was read to: an offset, an LSN, the hash of a manifest.
  source_position {{ d.optional(TEXT) }},
  published_at {{ d.required(TIME) }},
  -- 0 is a valid number of rows: an interval in which nothing happened.
  row_count {{ d.optional(INTEGER) }},
  -- Why coverage went back with it, if it did.
  regression_reason {{ d.optional(TEXT) }},
  {{ d.key("source, scope, publication_seq") }};
