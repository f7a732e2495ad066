-- In SQLite below 3.42, which other programs may have, date('2027-02-30') is '2027-02-30'. Going by way of a day's number
-- finds that it is 2 March. Only the text of the constraints changes, so no row is copied. A row that breaks them
-- already stays as it is, and "shiftfeed doctor" names it.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
    'date(date) IS date', 'strftime(''%Y-%m-%d'', julianday(date)) IS date'),
    'date(end_date) IS end_date', 'strftime(''%Y-%m-%d'', julianday(end_date)) IS end_date'),
    'date(publish_date) IS publish_date', 'strftime(''%Y-%m-%d'', julianday(publish_date)) IS publish_date')
  WHERE type = 'table' AND name = 'shifts';
PRAGMA writable_schema = RESET;
-- Programs that have the database open notice that its schema changed.
CREATE VIEW changed_schema AS SELECT 1;
DROP VIEW changed_schema;
