-- Webhooks: addresses of other programs, to which notices of what happens in a study are sent.
CREATE TABLE webhook (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    -- The kinds of notices that it gets, as a JSON list.
    notices TEXT NOT NULL,
    -- As the server needs it to sign: a hash of it would not do.
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The number of its newest delivery.
    deliveries BIGINT NOT NULL DEFAULT 0,
    -- How many deliveries failed for good since one was taken.
    failures BIGINT NOT NULL DEFAULT 0,
    paused_at BIGINT,
    -- 1 where the server paused it after failures, 0 where a lead did.
    paused_by_server SMALLINT NOT NULL DEFAULT 0
);
CREATE INDEX webhook_study ON webhook (study_id);

-- The outbox: one row for each webhook and notice, written in the transaction of the change that it announces.
CREATE TABLE webhook_delivery (
    webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    -- From 1, within the webhook. With the webhook it is the notice's id.
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    -- Ids and kinds, as JSON.
    notice TEXT NOT NULL,
    -- waiting, delivered or failed.
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- How often a server began to send it.
    attempts BIGINT NOT NULL DEFAULT 0,
    -- Of the newest attempt: when it began, the status of the answer, and why it failed.
    tried_at BIGINT,
    status BIGINT,
    problem TEXT,
    -- When it is due; absent once it is over.
    next_try_at BIGINT,
    -- Who sends it at the moment, and until when nobody else may.
    worker TEXT,
    leased_until BIGINT,
    PRIMARY KEY (webhook_id, number)
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (state, next_try_at);
