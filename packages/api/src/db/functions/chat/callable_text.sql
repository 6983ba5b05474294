-- Returns a text without what mentions nobody: quoted lines, code and addresses. It finds what
-- callableText of packages/soul-names finds.
create or replace function callable_text(content text) returns text language plpgsql immutable as $$
  declare
    part text;
    parts text[];
    fence text;
    is_blank boolean;
    is_list boolean := false;
    may_be_code boolean := true;
    at int;
    closing int;
    lines text := '';
    result text := '';
  begin
    foreach part in array string_to_array(content, E'\n') loop
      if fence is not null then
        part := btrim(part, E' \t\r');
        if starts_with(part, fence) and btrim(part, left(fence, 1)) = '' then fence := null; end if;
        part := '';
      elsif may_be_code and part ~ '^(?: {4}| {0,3}\t)' then
        part := '';
      else
        is_blank := part ~ '^[ \t\r]*$';
        is_list := part ~ '^ {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]'
          or (is_list and (is_blank or part ~ '^[ \t]'));
        may_be_code := is_blank and not is_list;
        -- A quote marker or a code fence at the start of the line. List markers may precede it.
        fence := substring(part from '^(?: {0,3}|[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+)'
          '(>|`{3,}(?=[^`]*$)|~{3,})');
        if fence is not null then part := ''; end if;
        fence := nullif(fence, '>');
      end if;
      lines := lines || part || E'\n';
    end loop;
    foreach part in array regexp_split_to_array(lines, '\n\s*\n') loop
      parts := array(select piece[1] from regexp_matches(part, '`+|[^`]+', 'g') as piece);
      at := 1;
      while at <= cardinality(parts) loop
        -- A span of code ends with as many backticks as it begins with.
        closing := case when parts[at] like '`%' then array_position(parts, parts[at], at + 1) end;
        result := result || case when closing is null then parts[at] else ' ' end;
        at := coalesce(closing, at) + 1;
      end loop;
      result := result || E'\n\n';
    end loop;
    return regexp_replace(result, '(?<![a-z0-9])[a-z0-9]+://[^\s<>"，。；！？、（）「」]*'
      '|(?<![a-z0-9-])[a-z0-9-]+\.[a-z]{2,}(?::\d+)?/[^\s<>"，。；！？、（）「」]*'
      '|[[:alnum:]_+]@[[:alnum:]-]+(?:\.[[:alnum:]-]+)+', ' ', 'gi');
  end $$
