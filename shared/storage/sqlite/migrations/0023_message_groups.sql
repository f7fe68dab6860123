-- Lanes of slow receivers are found by themselves.
DROP INDEX messages_due;
CREATE INDEX messages_due ON messages (substr(lane, 1, 5) = 'slow/', look_at, lane);
