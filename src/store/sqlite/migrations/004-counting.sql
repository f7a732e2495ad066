-- What is published of a day is one contiguous range of this index, so that counting it looks at no row.
CREATE INDEX shifts_to_count ON shifts (account_id, date, publish_date);
