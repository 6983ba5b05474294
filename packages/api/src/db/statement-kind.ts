/**
 * Statements that change or lock rows by their keys are parsed and planned once per connection:
 * their plan never depends on the values, and planning took as long as running them. Questions are
 * planned each time, for their plan does.
 */
const CHANGES =
  /^\s*(insert|update|delete|select \* from (reserve_units|store_exchange|store_first_exchange|toggle_like|change_soul))\b|\bfor update$/i;

export const isChange = (statement: string): boolean => CHANGES.test(statement);
