/** A reason for a person why a ship cannot join or sail, which says what to do about it. */
export class ShipFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ShipFailure';
  }
}
