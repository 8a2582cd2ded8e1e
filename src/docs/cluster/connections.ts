import type { ConnectNode, NodeConnection } from './port.ts';

/** The connections of this node to the others: one to each address, opened when it is asked first. */
export class NodeConnections {
  readonly #connect: ConnectNode;
  readonly #open = new Map<string, NodeConnection>();

  constructor(connect: ConnectNode) {
    this.#connect = connect;
  }

  to(address: string): NodeConnection {
    let connection = this.#open.get(address);
    if (connection === undefined) this.#open.set(address, connection = this.#connect(address));
    return connection;
  }

  close(): void {
    for (const connection of this.#open.values()) connection.close();
    this.#open.clear();
  }
}
