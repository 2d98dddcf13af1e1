/** Where an API server is and how to be let in; made by `kubeconfig.ts`, `in-cluster.ts` or `exec-auth.ts`. */
export interface Connection {
  /** Like `https://10.0.0.1:6443`, or with a path below which the API is served. */
  readonly server: string
  /** The name expected in the server's certificate, when it is not the one in `server`. */
  readonly tlsServerName?: string
  readonly insecureSkipTlsVerify?: boolean
  /** The namespace people meant by the context or the pod. */
  readonly namespace?: string
  /** Asked before every request, so it is cheap when nothing has changed. */
  readonly credentials: CredentialSource
}

/**
 * `refused`: the server did not accept the last ones, so look again instead of answering from memory.
 * @throws {KubeError} with reason `CredentialsUnreadable`
 */
export type CredentialSource = (options?: { readonly refused?: boolean }) => Promise<Credentials>

/** PEM texts and a bearer token; each is optional. */
export interface Credentials {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly token?: string
}
