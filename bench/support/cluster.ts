import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { loadKubeconfig } from '../../src/kube/kubeconfig.ts'
import { type EmbeddedApiServer, startApiServer } from '../../src/sim/apiserver/start-api-server.ts'
import { makeServerCertificate, type ServerCertificate } from './server-certificate.ts'

export const HOME = join(import.meta.dirname, '../..')

/** The embedded API server in this process, with the namespace and the kind that a controller needs. */
export interface Cluster extends AsyncDisposable {
  readonly server: EmbeddedApiServer
  readonly kube: KubeApi
  /** Path. */
  readonly kubeconfig: string
  /** For whatever else the bench puts on disk; gone at the end. */
  readonly folder: string
  /** What it shows over HTTPS. */
  readonly certificate?: ServerCertificate
}

/** @param options.https as every real API server speaks; the default is HTTP */
export async function startCluster({ https = false } = {}): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-bench-'))
  const certificate = https ? await makeServerCertificate(folder) : undefined
  // No kubelet runs here: a pod that is told to go is gone.
  const server = await startApiServer({ onPodTerminating: () => undefined, ...(certificate && { tls: certificate }) })
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, server.kubeconfig(), { mode: 0o600 })
  const kube = createKubeClient(await loadKubeconfig(kubeconfig))
  for (const namespace of await manifest('namespace.yaml')) await kube.create('/api/v1/namespaces', namespace)
  for (const kind of await manifest('crds/nodepools.yaml'))
    await kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', kind)
  return {
    server,
    kube,
    kubeconfig,
    folder,
    ...(certificate && { certificate }),
    async [Symbol.asyncDispose]() {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The objects of a file, in its order. */
async function manifest(file: string): Promise<unknown[]> {
  return parseAllDocuments(await readFile(join(HOME, 'deploy', file), 'utf8')).map((document) => document.toJS())
}

/** Resolves with the time (`performance.now()`) at which an object of the collection was first seen as wanted. */
export async function whenSeen(
  kube: KubeApi,
  { path, wanted }: { readonly path: string; readonly wanted: (object: KubeObject) => boolean },
): Promise<number> {
  const done = new AbortController()
  try {
    for await (const event of kube.follow(path, { project: (object) => object, signal: done.signal })) {
      const objects = event.type === 'sync' ? event.items : event.type === 'upsert' ? [event.item] : []
      if (objects.some(wanted)) break
    }
    return performance.now()
  } finally {
    done.abort()
  }
}
