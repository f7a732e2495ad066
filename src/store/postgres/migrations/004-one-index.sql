-- shifts_to_count has taken the place of this one. It is left where somebody reads for long at the moment: others would
-- have to wait behind them, and an index too many does no harm.
--
-- This is a step of its own, because an import that waits for the lock of the step before has read shifts. To wait for
-- that import while holding the lock would be a deadlock.
DO $$
DECLARE
  usual text := current_setting('lock_timeout');
BEGIN
  PERFORM set_config('lock_timeout', '300ms', true);
  DROP INDEX IF EXISTS shifts_by_date;
  PERFORM set_config('lock_timeout', usual, true);
EXCEPTION WHEN lock_not_available THEN
END $$;
