-- A month of an account is one contiguous range of this index, and counting what is published needs nothing else. Making
-- it waits for who writes shifts, and they wait for it; nobody who reads does. Somebody may have made it before, without
-- anybody waiting.
LOCK TABLE shifts IN SHARE MODE;
CREATE INDEX IF NOT EXISTS shifts_to_count ON shifts (account_id, date, publish_date);
