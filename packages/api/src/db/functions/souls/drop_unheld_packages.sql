-- Deletes those of the packages that no soul and no version holds, and their bytes that no other
-- package has (0052). The locks come first: each later statement then sees what others committed
-- meanwhile. Two souls that share a package and are deleted at once thus leave nothing behind.
create or replace function drop_unheld_packages(of_packages bigint[]) returns void
  language plpgsql as $$
  declare
    dropped bigint[];
    hashes text[];
  begin
    perform from soul_packages where id = any(of_packages) order by id for update;
    select array_agg(package.id) into dropped from soul_packages as package
      where package.id = any(of_packages)
        and not exists (select from souls where souls.package_id = package.id)
        and not exists (select from soul_versions where soul_versions.package_id = package.id);
    select array_agg(distinct file.sha256) into hashes from package_files as file
      where file.package_id = any(dropped);
    delete from soul_packages where id = any(dropped);
    perform from package_blobs where sha256 = any(hashes) order by sha256 for update;
    delete from package_blobs as blob where blob.sha256 = any(hashes)
      and not exists (select from package_files as file where file.sha256 = blob.sha256);
  end $$
