-- The ARN of the topic of SNS whose subscription is confirmed, '' for none.
ALTER TABLE integrations ADD COLUMN sns_topic_arn TEXT NOT NULL DEFAULT '';
