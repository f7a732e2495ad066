-- A month of an account is one contiguous range of this index, and counting what is published needs nothing else. Making
-- it waits for who writes shifts. Who reads waits for the last statement only.
CREATE INDEX shifts_to_count ON shifts (account_id, date, publish_date);
DROP INDEX shifts_by_date;
