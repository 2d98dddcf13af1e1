/** Something another party wrote cannot be understood. The node or pool concerned stays as it is, and its status says why. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}
