-- breaking: no

-- in: {verdict, spf, dkim}, what the server that received it found of its sender; null: of before, or ours
alter table mail_messages add column authenticity json;
