/**
 * The API server that the contract is held against: the embedded one, or with `NODEWAVE_CONTRACT=real` the one that
 * KUBECONFIG names. KUBECONFIG alone does not do it: people have it set to clusters that they care for.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Connection } from '../../src/kube/connection.ts'
import { loadKubeconfig } from '../../src/kube/kubeconfig.ts'
import { startApiServer } from '../../src/sim/apiserver/start-api-server.ts'
import type { RawClient } from './raw-client.ts'
import { createRawClient } from './raw-client.ts'

export interface ContractServer extends RawClient {
  readonly connection: Connection
  /** Path of a kubeconfig file. */
  readonly kubeconfig: string
  /** A namespace that nobody else uses. */
  readonly namespace: string
}

/** Starts or finds the server for one test file, with a namespace of its own; both are taken away when the file ends. */
export async function contractServer(): Promise<ContractServer> {
  const found = process.env.NODEWAVE_CONTRACT === 'real' ? await realServer() : await embeddedServer()
  const connection = await loadKubeconfig(found.kubeconfig)
  const client = await createRawClient(connection)
  const namespace = `contract-${randomBytes(4).toString('hex')}`
  const made = await client.send('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
  if (made.code !== 201) throw new Error(`failed to create namespace "${namespace}": ${made.text}`)
  afterAll(async () => {
    await client.send('DELETE', `/api/v1/namespaces/${namespace}`)
    client.close()
    await found.close()
  })
  return { ...client, connection, kubeconfig: found.kubeconfig, namespace }
}

interface Found {
  readonly kubeconfig: string
  readonly close: () => Promise<void>
}

async function realServer(): Promise<Found> {
  const kubeconfig = process.env.KUBECONFIG
  if (!kubeconfig) throw new Error('set KUBECONFIG to the kubeconfig of an API server that may be written to')
  return { kubeconfig, close: async () => undefined }
}

/** As bare as a kube-apiserver without controller-manager, so that the same requests have the same answers. */
async function embeddedServer(): Promise<Found> {
  const server = await startApiServer({ controllers: false })
  const directory = await mkdtemp(join(tmpdir(), 'nodewave-contract-'))
  const kubeconfig = join(directory, 'kubeconfig')
  await writeFile(kubeconfig, server.kubeconfig())
  const close = async () => {
    await server.close()
    await rm(directory, { recursive: true })
  }
  return { kubeconfig, close }
}
