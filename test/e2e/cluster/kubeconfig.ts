/** Kubeconfig files, with everything inside or with paths, as kubeadm writes both. */
import { readFile, writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import type { Certificates } from './certificates.ts'

export interface KubeconfigOptions {
  readonly server: string
  readonly certificates: Certificates
  /** Name of an issued certificate, put into the file; or the path of certificate and key on the machine that reads it. */
  readonly client: { readonly name: string } | { readonly path: string }
  readonly user: string
}

export async function kubeconfig({ server, certificates, client, user }: KubeconfigOptions): Promise<string> {
  const embed = async (path: string) => (await readFile(path)).toString('base64')
  const credentials =
    'path' in client
      ? { 'client-certificate': client.path, 'client-key': client.path }
      : {
          'client-certificate-data': await embed(certificates.certFile(client.name)),
          'client-key-data': await embed(certificates.keyFile(client.name)),
        }
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'kubernetes', cluster: { 'certificate-authority-data': await embed(certificates.caFile), server } }],
    users: [{ name: user, user: credentials }],
    contexts: [{ name: `${user}@kubernetes`, context: { cluster: 'kubernetes', user } }],
    'current-context': `${user}@kubernetes`,
  })
}

export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<string> {
  await writeFile(path, await kubeconfig(options), { mode: 0o600 })
  return path
}
