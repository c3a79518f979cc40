-- breaking: no
-- room: accounts
-- Whether what people say is stored sealed.
alter table organizations add column seals_texts boolean not null default false;
-- Keys with which texts were sealed open them for good: no file tells whether there are any left.
alter table data_keys add column seals_texts boolean not null default false;
