/** A server that is not the cluster did not take a request. */
export class RemoteError extends Error {
  override readonly name: string = 'RemoteError'
  /** Milliseconds after which the server may be asked again, when it says so. */
  readonly retryAfter: number | undefined
  /** The server refuses this request, and may take another one. */
  readonly isRefusal: boolean

  constructor(
    message: string,
    { retryAfter, isRefusal = false, cause }: Partial<Pick<RemoteError, 'retryAfter' | 'isRefusal' | 'cause'>> = {},
  ) {
    super(message, { cause })
    this.retryAfter = retryAfter
    this.isRefusal = isRefusal
  }
}
