-- A month of an account is one contiguous range of this index, and counting what is published needs nothing else. Making
-- it waits for who writes shifts, and they wait for it; nobody who reads does. Somebody may have made it before, without
-- anybody waiting.
LOCK TABLE shifts IN SHARE MODE;
CREATE INDEX IF NOT EXISTS shifts_to_count ON shifts (account_id, date, publish_date);

-- Takes the place of this one, unless somebody reads for long at the moment: others would have to wait behind them. An
-- index too many does no harm.
DO $$
DECLARE
  usual text := current_setting('lock_timeout');
BEGIN
  PERFORM set_config('lock_timeout', '300ms', true);
  DROP INDEX IF EXISTS shifts_by_date;
  PERFORM set_config('lock_timeout', usual, true);
EXCEPTION WHEN lock_not_available THEN
END $$;
