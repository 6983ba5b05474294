import { type CopyPort, quoted } from "../archive/copy-port.ts";

/**
 * Copies the owners and the granted privileges of a schema's tables, columns, sequences and
 * functions to the objects of the same name in another schema. Roles that read the former tables, such as
 * one for reports, can then read the restored ones (0028).
 */
export async function copyRights(
  { query }: CopyPort,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const statements = await query<{ text: string }>(
    `with objects as (
      select oid, relname::text as name, relowner as owner, relacl as acl,
        case relkind when 'S' then 'sequence' else 'table' end as kind, quote_ident(relname) as label,
        relnamespace as namespace,
        -- A column's sequence changes its owner with the table.
        exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid
          and deptype in ('a', 'i')) as follows
      from pg_class where relkind in ('r', 'p', 'S')
      union all
      select oid, proname, proowner, proacl, 'routine',
        quote_ident(proname) || '(' || pg_get_function_identity_arguments(oid) || ')', pronamespace, false
      from pg_proc where prokind in ('f', 'p')
    ), pairs as (
      select former.*, '${quoted(to)}.' || former.label as target, restored.oid as restored_oid
      from objects as former
      join objects as restored using (kind, label)
      where former.namespace = $1::regnamespace and restored.namespace = $2::regnamespace
    ), rights as (
      select pairs.*, '' as columns, aclexplode(acl) as granted from pairs
      union all
      select pairs.*, ' (' || quote_ident(attname) || ')', aclexplode(attacl)
      from pairs join pg_attribute on attrelid = pairs.oid
      where kind = 'table' and attnum > 0 and exists (
        select from pg_attribute as restored where restored.attrelid = restored_oid
          and restored.attname = pg_attribute.attname and not restored.attisdropped)
    )
    select 1 as step, format('alter %s %s owner to %I', kind, target, rolname) as text
    from pairs join pg_roles on pg_roles.oid = owner
    where rolname <> current_user and not follows
    union all
    -- Every role may execute a new function. An operator may have revoked that.
    select 2, format('revoke all on %s %s from public', kind, target) from pairs where acl is not null
    union all
    select 3, format('grant %s%s on %s %s to %s%s', (granted).privilege_type, columns, kind, target,
      coalesce(quote_ident(rolname), 'public'),
      case when (granted).is_grantable then ' with grant option' else '' end)
    from rights left join pg_roles on pg_roles.oid = (granted).grantee
    where (granted).grantee <> owner and ((granted).grantee = 0 or rolname is not null)
    order by step`,
    [from, to],
  );
  for (const { text } of statements) await query(text);
}
