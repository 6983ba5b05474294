import { Migration } from "@mikro-orm/migrations";

/** Rooms that a person hides from the own list, and what a copied room says of its source (0042). */
export class HiddenRooms extends Migration {
  override name = "0032-hidden-rooms";

  override up(): void {
    this.addSql("alter table room_people add column hidden_to bigint");
    this.addSql("alter table chat_rooms add column copied_from text");
    this.addSql("alter table chat_rooms add column copied_to bigint");
  }
}
