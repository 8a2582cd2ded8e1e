/** Why a ship cannot join or run; the message is for people and says what to do. */
export class ShipFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ShipFailure';
  }
}
