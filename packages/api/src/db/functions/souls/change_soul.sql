-- change_soul_noted without a note, as servers of the first release call it (0037).
create or replace function change_soul(
    of_soul bigint, changer bigint, new_title text, new_description text, new_content text,
    new_file_type text, new_role text, new_domain text, new_compatibility text,
    new_is_public smallint, moves_gate boolean, new_gate text,
    out user_id bigint, out is_public smallint, out nft_contract text)
  language plpgsql as $$
  begin
    select changed.user_id, changed.is_public, changed.nft_contract
      into user_id, is_public, nft_contract
      from change_soul_noted(
        of_soul, changer, new_title, new_description, new_content, new_file_type, new_role,
        new_domain, new_compatibility, new_is_public, moves_gate, new_gate, null) as changed;
  end $$
