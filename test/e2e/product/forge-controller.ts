/** A controller that follows a repository in a real forge, and what the forge needs to reach it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import type { Daemon } from '../cluster/daemon.ts'
import type { ForgeRepository } from '../gitea/forge-repository.ts'
import type { Gitea } from '../gitea/gitea.ts'
import { startController } from './controller.ts'

export interface ForgeFiles {
  /** Of the webhook. */
  readonly secret: string
  /** For Git, and for statuses. */
  readonly token: string
}

const PORT = 9443
/** Nobody waits for a poll here: what arrives came by a webhook. */
const POLL = '--poll=1h'

export function forgeFiles({ slot }: Cluster): ForgeFiles {
  return { secret: join(slot.dir, 'webhook-secret'), token: join(slot.dir, 'forge-token') }
}

/** Over HTTPS with a token, with the webhook's own TLS. */
export async function startForgeController(
  cluster: Cluster,
  { gitea, repository }: { readonly gitea: Gitea; readonly repository: ForgeRepository },
  { url = repository.url, args = [] }: { readonly url?: string; readonly args?: readonly string[] } = {},
): Promise<Daemon> {
  const { secret, token } = forgeFiles(cluster)
  const { certificates } = cluster
  await certificates.issue({ name: 'webhook', user: 'webhook', serves: [`IP:${cluster.slot.host}`] })
  const webhook = [
    `--webhook-address=${cluster.slot.host}:${PORT}`,
    `--webhook-secret-file=${secret}`,
    `--webhook-tls-cert-file=${certificates.certFile('webhook')}`,
    `--webhook-tls-key-file=${certificates.keyFile('webhook')}`,
    `--webhook-repository=${repository.name}`,
  ]
  const statuses = [
    '--status-forge=gitea',
    `--status-token-file=${token}`,
    `--status-url=${gitea.url}/api/v1`,
    `--status-repository=${repository.name}`,
    '--revert-pull-requests',
  ]
  const over = url.startsWith('https:') ? [`--token-file=${token}`, `--ca-file=${gitea.caFile}`] : []
  return startController(cluster, {
    repository: url,
    args: [POLL, ...over, ...webhook, ...statuses, ...args],
    env: { NODE_EXTRA_CA_CERTS: gitea.caFile },
  })
}

/** Gitea tells the controller of pushes. The secret stands in the file that the controller reads. */
export async function addWebhook(cluster: Cluster, gitea: Gitea, repository: ForgeRepository): Promise<string> {
  const secret = 'a-secret-of-the-webhook-0001'
  await writeFile(forgeFiles(cluster).secret, secret, { mode: 0o600 })
  const config = { url: `https://${cluster.slot.host}:${PORT}/webhook`, content_type: 'json', secret }
  const body = { type: 'gitea', active: true, events: ['push', 'pull_request', 'status'], config }
  await gitea.api.ask(`/repos/${repository.name}/hooks`, { method: 'POST', body })
  return secret
}
