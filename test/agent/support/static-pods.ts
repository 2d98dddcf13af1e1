import { dirname } from 'node:path/posix'
import { parse } from 'yaml'
import type { MirrorPod } from '../../../src/agent/ports.ts'
import type { HostDocument } from '../../../src/protocol/host-document.ts'
import { STATIC_POD_KEY } from '../../../src/protocol/static-pods.ts'
import type { SimulatedHost } from '../../../src/sim/host/simulated-host.ts'

export const MANIFESTS = '/etc/kubernetes/manifests'

type StaticPods = NonNullable<HostDocument['staticPods']>

/** As the controller renders it. An image `broken` cannot be pulled. */
export function aStaticPod({ name = 'dns', image = 'dns:1', directory = MANIFESTS } = {}): StaticPods[number] {
  const digest = Buffer.from(image.padEnd(10)).toString('hex').slice(0, 20)
  const metadata = { name, namespace: 'kube-system', annotations: { [STATIC_POD_KEY]: digest } }
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'main', image }] } }
  const content = `${JSON.stringify(manifest)}\n`
  return { path: `${directory}/${name}.yaml`, namespace: 'kube-system', name, digest, content, readySeconds: 60 }
}

interface Manifest {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: { readonly containers: readonly { readonly name: string; readonly image: string }[] }
}

/** What the kubelet shows of the manifests in the directory that it looks into. */
export function mirrorOn(
  host: SimulatedHost,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): MirrorPod | undefined {
  const manifests = Object.entries(host.files.snapshot()).filter(([path]) => dirname(path) === host.manifests)
  const read = manifests.map(([path]) => parse(host.files.text(path) ?? '') as Manifest)
  const found = read.find(({ metadata }) => metadata.name === name && (metadata.namespace ?? 'default') === namespace)
  if (found === undefined) return undefined
  const image = found.spec.containers[0]?.image
  const trouble = image === 'broken' ? 'container "main": ImagePullBackOff: no such image' : undefined
  return { digest: found.metadata.annotations?.[STATIC_POD_KEY], ready: trouble === undefined, restarts: 0, trouble }
}
