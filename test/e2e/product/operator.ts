/** A person at a terminal, with the rights of deploy/operator-rbac.yaml and no others. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Cluster } from '../cluster/cluster.ts'
import { type RunResult, run, unfolded } from '../exec.ts'
import { checkout } from './checkout.ts'

/** Who the API server takes them for, unless another account is asked for. */
export const OPERATOR = 'system:serviceaccount:default:ada'

/** Runs `nodewave` as that person; what it ends with is not judged. */
export type Operator = (...args: string[]) => Promise<RunResult>

/** Each account of a cluster is made once. */
export async function operatorOf(cluster: Cluster, account = 'ada'): Promise<Operator> {
  await cluster.kubectl(['create', 'serviceaccount', account])
  const binding = [`nodewave-operator-${account}`, `--serviceaccount=default:${account}`]
  await cluster.kubectl(['create', 'clusterrolebinding', ...binding, '--clusterrole=nodewave-operator'])
  await cluster.kubectl(['-n', 'nodewave-system', 'create', 'rolebinding', ...binding, '--role=nodewave-operator'])
  const token = await cluster.kubectl(['create', 'token', account, '--duration=24h'])
  const path = join(cluster.slot.dir, `operator-${account}.conf`)
  const { server, certificates } = cluster
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'e2e', cluster: { server, 'certificate-authority': certificates.caFile } }],
    users: [{ name: account, user: { token: token.trim() } }],
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: account } }],
    'current-context': 'e2e',
  }
  await writeFile(path, stringify(config), { mode: 0o600 })
  const program = join(checkout, 'src/cli/main.ts')
  const options = { allowFailure: true, timeoutMs: 300_000 }
  return async (...args) => unfolded(await run(process.execPath, [program, ...args, '--kubeconfig', path], options))
}
