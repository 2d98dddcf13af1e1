import { readFile } from 'node:fs/promises'
import { createAuthority } from '../../test/e2e/cluster/certificates.ts'

/** PEM, and the path of its authority. */
export interface ServerCertificate {
  readonly key: string
  readonly cert: string
  readonly ca: string
  readonly caFile: string
}

/** For servers on 127.0.0.1; needs openssl. */
export async function makeServerCertificate(folder: string): Promise<ServerCertificate> {
  const { caFile, certFile, keyFile, issue } = await createAuthority(folder)
  await issue({ name: 'server', user: 'server', serves: ['IP:127.0.0.1'] })
  const read = (path: string): Promise<string> => readFile(path, 'utf8')
  return { key: await read(keyFile('server')), cert: await read(certFile('server')), ca: await read(caFile), caFile }
}
