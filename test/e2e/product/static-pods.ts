/** Pretended parts of a control plane: static pods that a real kubelet runs, probes and mirrors, with the labels of kubeadm's. */
import { stringify } from 'yaml'
import { TEST_IMAGE } from '../build/images.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'

export interface StaticPod {
  readonly component: 'kube-apiserver' | 'etcd' | 'kube-vip'
  /** Of its image, which is what its version is read from. */
  readonly tag: string
}

/** Where the pod's readiness probe looks. */
const STATE = '/var/lib/pretended'

/** Put the manifest where the kubelet reads it, and wait for the mirror pod to be Ready. */
export async function runStaticPod(cluster: Cluster, node: Node, pod: StaticPod): Promise<void> {
  await furnishFor(node, pod)
  await node.write(manifestOf(pod))
  await waitMirrored(cluster, { name: `${pod.component}-${node.name}`, image: imageOf(pod), ready: true })
}

/** The same from Git: the command that names its image, and the file that its readiness probe looks for. */
export function furnitureOf(pod: StaticPod) {
  const tag = `/usr/local/bin/ctr -n k8s.io images tag --force ${TEST_IMAGE} ${imageOf(pod)}`
  return { tag, file: { path: `${STATE}/${pod.component}`, content: 'ready\n' } }
}

/** Its image, which a registry would have, and what its readiness probe looks for. */
export async function furnishFor(node: Node, pod: StaticPod): Promise<void> {
  await node.exec(['ctr', '-n', 'k8s.io', 'images', 'tag', '--force', TEST_IMAGE, imageOf(pod)])
  await node.exec(['mkdir', '-p', STATE])
  await setReady(node, pod.component, true)
}

/** Where the kubelet reads it. */
export function manifestOf(pod: StaticPod): { readonly path: string; readonly content: string } {
  const { component } = pod
  const spec = specOf(component, imageOf(pod))
  const content = stringify({ apiVersion: 'v1', kind: 'Pod', metadata: metadataOf(component), spec })
  return { path: `/etc/kubernetes/manifests/${component}.yaml`, content }
}

function imageOf({ component, tag }: StaticPod): string {
  return `registry.k8s.io/${component}:${tag}`
}

/** Make its kubelet find it ready or not, as a process that answers its health check, or does not. */
export async function setReady(node: Node, component: StaticPod['component'], ready: boolean): Promise<void> {
  await node.exec(ready ? ['touch', `${STATE}/${component}`] : ['rm', `${STATE}/${component}`])
}

export async function waitMirrored(
  cluster: Cluster,
  { name, image, ready }: { readonly name: string; readonly image?: string; readonly ready: boolean },
): Promise<void> {
  const there = async () => {
    const { status, body } = await cluster.api.send<MirrorPod>(`/api/v1/namespaces/kube-system/pods/${name}`)
    if (status !== 200 || (image !== undefined && body.spec.containers[0]?.image !== image)) return false
    const found = body.status.conditions?.find(({ type }) => type === 'Ready')
    return (found?.status === 'True') === ready
  }
  await waitUntil(there, { for: `mirror pod "${name}" to be ${ready ? '' : 'not '}ready` })
}

interface MirrorPod {
  readonly spec: { readonly containers: readonly { readonly image: string }[] }
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

function metadataOf(component: string): object {
  return { name: component, namespace: 'kube-system', labels: { component, tier: 'control-plane' } }
}

function specOf(component: string, image: string): object {
  const readinessProbe = { exec: { command: ['cat', `${STATE}/${component}`] }, periodSeconds: 1, failureThreshold: 1 }
  const volumeMounts = [{ name: 'state', mountPath: STATE }]
  const command = ['sh', '-c', 'trap "exit 0" TERM; sleep 86400 & wait']
  return {
    hostNetwork: true,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: component, image, imagePullPolicy: 'Never', command, readinessProbe, volumeMounts }],
    volumes: [{ name: 'state', hostPath: { path: STATE } }],
  }
}
