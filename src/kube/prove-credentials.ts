import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { Connection, Credentials } from './connection.ts'
import { KubeconfigError } from './kubeconfig.ts'

/**
 * Asks once for the credentials that every request will need. While it runs, a client waits for a file in the middle of its rotation;
 * at the start, one that is not there, or holds something else, is a mistake that no waiting mends.
 * @param where they come from, for a person: `"/home/ada/.kube/config"`
 * @throws {KubeconfigError}
 */
export async function proveCredentials(connection: Connection, where: string): Promise<Connection> {
  const credentials = await connection.credentials().catch((cause: unknown) => {
    throw new KubeconfigError(`use the credentials of ${where}: ${(cause as Error).message}`, { cause })
  })
  try {
    judge(credentials)
  } catch (cause) {
    throw new KubeconfigError(`correct the credentials of ${where}: ${(cause as Error).message}`, { cause })
  }
  return connection
}

/** A text that holds no certificate at all is taken for an empty list of authorities, and trusts nobody. */
function judge({ ca, cert, key }: Credentials): void {
  if ((cert === undefined) !== (key === undefined))
    throw new Error(`there is a client ${cert ? 'certificate without its key' : 'key without its certificate'}`)
  if (ca !== undefined) told('the certificate authority', () => new X509Certificate(ca))
  if (cert !== undefined) told('the client certificate', () => new X509Certificate(cert))
  if (cert !== undefined && key !== undefined) told('the client key', () => createSecureContext({ cert, key }))
}

/** What OpenSSL says never quotes the text. */
function told(what: string, use: () => unknown): void {
  try {
    use()
  } catch (cause) {
    throw new Error(`${what} cannot be used: ${(cause as Error).message}`, { cause })
  }
}
