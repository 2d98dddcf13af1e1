import { stringify } from 'yaml'
import type { TlsFiles } from '../../listener.ts'

/** A kubeconfig for a server without authentication. */
export function kubeconfigFor(server: string, tls: TlsFiles | undefined): string {
  const authority = tls && { 'certificate-authority-data': Buffer.from(tls.ca ?? tls.cert).toString('base64') }
  const name = tls?.serverName && { 'tls-server-name': tls.serverName }
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'simulated', cluster: { server, ...authority, ...name } }],
    users: [{ name: 'anyone', user: { token: 'not-checked' } }],
    contexts: [{ name: 'simulated', context: { cluster: 'simulated', user: 'anyone' } }],
    'current-context': 'simulated',
  })
}
