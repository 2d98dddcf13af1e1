/** Make a node from nothing: its root, its machine, its kubelet. */
import { mkdir, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { repositoryPath } from '../artifacts/apt-repository.ts'
import { packageRevision } from '../artifacts/kubelet-deb.ts'
import { rpmRelease, rpmRepositoryPath } from '../artifacts/rpm-repository.ts'
import { debianBase } from '../build/base.ts'
import type { FindBinary } from '../build/binaries.ts'
import { testImages } from '../build/images.ts'
import { kubeletLayer, type LayerFile, nodejsLayer, putFile, runtimeLayer } from '../build/layers.ts'
import { type RpmManager, rpmLayer } from '../build/rpm-root.ts'
import { writePair } from './certificates.ts'
import { runtimeFiles } from './container-runtime.ts'
import type { ControlPlane } from './control-plane.ts'
import { kubeconfig } from './kubeconfig.ts'
import { type KubeletLayout, kubeletPath, kubeletStateFiles, kubeletUnitFiles } from './kubelet-layout.ts'
import { createMachine } from './machine.ts'
import { createNode, type Node } from './node.ts'
import { type NodePlace, nodeFiles } from './node-files.ts'
import { createNodeRoot } from './node-root.ts'
import { artifactsUrl, type Servers } from './servers.ts'
import type { Slot } from './slot.ts'

export interface JoinOptions {
  readonly place: NodePlace
  readonly all: readonly NodePlace[]
  readonly layout: KubeletLayout
  readonly version: string
  readonly find: FindBinary
  readonly plane: ControlPlane
  /** Install the kubelet by its package. */
  readonly packaged: boolean | RpmManager
  /** Once they answer. */
  readonly servers: Promise<Servers>
  /** Resolves when the API server answers: the node boots before that, its kubelet starts after. */
  readonly apiReady: Promise<void>
}

const pair = 'pki/kubelet-client-2026-01-01-00-00-00.pem'
const clientPath = '/var/lib/kubelet/pki/kubelet-client-current.pem'

export async function joinNode(slot: Slot, options: JoinOptions): Promise<Node> {
  if (options.layout === 'bare') return bareMachine(slot, options)
  const { place, layout, version, find, plane, packaged } = options
  const { name, address } = place
  await plane.certificates.issue({ name, user: `system:node:${name}`, groups: ['system:nodes'] })
  const kubelet = { layout, version, address, packaged, downloads: artifactsUrl(slot) }
  const base = await debianBase(() => undefined)
  const binary = packaged ? [] : [await kubeletLayer(find, version, kubeletPath(kubelet))]
  const files = [
    ...nodeFiles(slot, place, options.all),
    ...runtimeFiles(place.pods),
    ...kubeletUnitFiles(kubelet),
    ...(await credentials(options)),
  ]
  const rpm = typeof packaged === 'string' ? [await rpmLayer(packaged, () => undefined)] : []
  const layers = [...binary, await runtimeLayer(find), await nodejsLayer(), ...rpm, base]
  const enabled = { 'multi-user.target.wants/containerd.service': '/etc/systemd/system/containerd.service' }
  const root = await createNodeRoot(slot, name, { layers, files, kubeletFiles: kubeletStateFiles(kubelet), enabled })
  await mkdir(join(root.root, 'etc/kubernetes/manifests'), { recursive: true })
  const state = join(slot.dir, 'nodes', name, 'kubelet')
  await installClientCertificate(plane, name, state)
  const machine = await createMachine(slot, name, { ...root, units: ['dbus', 'containerd'] })
  await machine.boot()
  const node = createNode({ name, address, layout, machine, api: plane.api, ...root })
  await importImages(node, await testImages(base))
  const install = { true: installPackage, dnf: installByDnf, zypper: installByZypper, false: undefined }[`${packaged}`]
  await install?.(node, (await options.servers).artifacts, version)
  await options.apiReady
  await node.exec(['systemctl', 'enable', '--now', '--quiet', 'kubelet'])
  return node
}

/** systemd, and the Node.js for the agent: neither kubelet nor container runtime, and no credential. */
async function bareMachine(slot: Slot, { place, all, layout, plane }: JoinOptions): Promise<Node> {
  const { name, address } = place
  const layers = [await nodejsLayer(), await debianBase(() => undefined)]
  const root = await createNodeRoot(slot, name, { layers, files: nodeFiles(slot, place, all), kubeletFiles: [], enabled: {} })
  const machine = await createMachine(slot, name, { ...root, units: ['dbus'] })
  await machine.boot()
  return createNode({ name, address, layout, machine, api: plane.api, ...root })
}

/** As the Kubernetes documentation has it: key, source line of the minor version, install, hold. */
async function installPackage(node: Node, artifacts: string, version: string): Promise<void> {
  const keyring = '/etc/apt/keyrings/kubernetes-apt-keyring.asc'
  const repository = `${artifacts}/${repositoryPath(version)}/`
  await node.exec(['curl', '-fsS', '--create-dirs', '-o', keyring, `${repository}Release.key`])
  await node.write({ path: '/etc/apt/sources.list.d/kubernetes.list', content: `deb [signed-by=${keyring}] ${repository} /\n` })
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await node.exec(['apt-get', 'update'], { env })
  await node.exec(['apt-get', 'install', '-y', '--no-install-recommends', `kubelet=${version}-${packageRevision}`], { env })
  await node.exec(['apt-mark', 'hold', 'kubelet'])
}

async function installByDnf(node: Node, artifacts: string, version: string): Promise<void> {
  const repository = `${artifacts}/${rpmRepositoryPath(version)}/`
  const key = `${repository}repodata/repomd.xml.key`
  const text = `[kubernetes]\nname=Kubernetes\nbaseurl=${repository}\nenabled=1\ngpgcheck=1\ngpgkey=${key}\nexclude=kubelet\n`
  await node.write({ path: '/etc/yum.repos.d/kubernetes.repo', content: text })
  const wanted = `kubelet-${version}-${rpmRelease}`
  await node.exec(['dnf', '--assumeyes', '--disableplugin=local', '--disableexcludes=kubernetes', 'install', wanted])
  await node.exec(['sed', '-i', 's/^\\[main]$/&\\nexcludepkgs=kubelet/', '/etc/dnf/dnf.conf'])
}

async function installByZypper(node: Node, artifacts: string, version: string): Promise<void> {
  const repository = `${artifacts}/${rpmRepositoryPath(version)}/`
  const zypper = ['zypper', '--non-interactive', '--gpg-auto-import-keys', '--no-gpg-checks']
  await node.exec([...zypper, 'addrepo', '--refresh', repository, 'kubernetes'])
  await node.exec([...zypper, 'install', `kubelet=${version}-${rpmRelease}`])
  await node.exec([...zypper, 'addlock', 'kubelet'])
}

async function credentials({ place, plane }: JoinOptions): Promise<LayerFile[]> {
  const { server, certificates } = plane
  const user = `system:node:${place.name}`
  const config = await kubeconfig({ server, certificates, client: { path: clientPath }, user })
  return [
    { path: '/etc/kubernetes/pki/ca.crt', content: { file: certificates.caFile } },
    { path: '/etc/kubernetes/kubelet.conf', content: config, mode: 0o600 },
  ]
}

/** Certificate and key in one file behind a link, which is how the kubelet itself stores those it is given. */
async function installClientCertificate(plane: ControlPlane, name: string, state: string): Promise<void> {
  await mkdir(join(state, 'pki'), { recursive: true })
  await writePair(plane.certificates, name, join(state, pair))
  await symlink(
    clientPath.replace('kubelet-client-current.pem', pair.slice('pki/'.length)),
    join(state, 'pki/kubelet-client-current.pem'),
  )
}

async function importImages(node: Node, archives: readonly string[]): Promise<void> {
  const passed = archives.map((archive) => ({ path: `/${basename(archive)}`, content: { file: archive } }))
  for (const file of passed) {
    await putFile(node.shared.outside, file)
    await node.exec(['ctr', '-n', 'k8s.io', 'images', 'import', join(node.shared.inside, file.path)])
  }
}
