import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cluster } from '../../test/e2e/cluster/cluster.ts'
import { waitUntil } from '../../test/e2e/cluster/wait.ts'
import type { Product } from '../../test/e2e/product/product.ts'

const REPOSITORY = 'platform/fleet'
const SECRET = 'a-secret-of-the-webhook-0001'
const PORT = 9443

/** What a forge does after a push. */
export type Deliver = (commit: string) => Promise<void>

/** Starts the controller again with a webhook, as docs/webhooks.md says. A poll would be half a second, much beside a rollout of a hundred nodes. */
export async function receivePushes(cluster: Cluster, product: Product): Promise<Deliver> {
  const secretFile = join(cluster.slot.dir, 'webhook-secret')
  await writeFile(secretFile, SECRET, { mode: 0o600 })
  const address = `${cluster.slot.host}:${PORT}`
  const args = [`--webhook-address=${address}`, `--webhook-secret-file=${secretFile}`, `--webhook-repository=${REPOSITORY}`]
  await product.controller.kill('SIGTERM')
  await product.restartController(undefined, args)
  const listens = () => product.controller.log().includes('receiving webhooks')
  await waitUntil(listens, { for: 'the controller to receive webhooks' })
  return (commit) => deliver(`http://${address}/webhook`, commit)
}

/** @throws when the controller does not take it. */
async function deliver(url: string, commit: string): Promise<void> {
  const body = JSON.stringify({ ref: 'refs/heads/main', after: commit, repository: { full_name: REPOSITORY } })
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-hub-signature-256': signature }
  const answer = await fetch(url, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`deliver the push of ${commit}: ${answer.status} ${await answer.text()}`)
}
