-- breaking: no
-- `label` and `labels` are two fields of their own. Until now the first of labels was answered as label, so it stays.
alter table agents add column label text;
update agents set label = labels[1] where labels[1] is not null;
alter table campaigns add column label text;
update campaigns set label = labels[1] where labels[1] is not null;
