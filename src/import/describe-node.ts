import type { HostInventory } from '../protocol/host-inventory.ts'
import { describeConfig } from './describe-config.ts'
import { type DescribedFlags, describeFlags, valuesByName } from './describe-flags.ts'
import { describeHost, hostRemarks, NO_HOST } from './describe-host.ts'
import { type ApiNodeFacts, type ImportSubject, type NodeDescription, type Remark, remark } from './subject.ts'

export function describeNode({ node, inventory }: ImportSubject): NodeDescription {
  if (inventory === undefined) return { ...EMPTY, node, remarks: [withoutInventory(node)] }
  const { kubelet } = inventory
  const { flags, remarks: ofFlags } = kubeletFlags(kubelet, node)
  const { config, remarks: ofConfig } = describeConfig(kubelet, node.configz)
  const { remarks: ofVersion, ...source } = describeVersion(inventory)
  return {
    ...{ node, layout: kubelet.layout, ...source, flags },
    config: kubelet.layout === undefined ? {} : config,
    host: describeHost(inventory),
    remarks: [...ofVersion, ...ofFlags, ...commandRemarks(kubelet), ...ofConfig, ...hostRemarks(inventory)],
  }
}

const EMPTY = { layout: undefined, version: undefined, binary: undefined, flags: {}, config: {}, host: NO_HOST }

function withoutInventory({ name, version }: ApiNodeFacts): Remark {
  return remark('kubelet', `node ${name}, kubelet ${version}`, {
    why: 'nobody asked its host, so version, flags, configuration and files stay as they are',
    remedy: `run "nodewave agent import" there, and give what it prints to nodewave import --host`,
  })
}

/** In the env layout Git's flags take the place of all that stood there; in the others they come after them. */
function kubeletFlags({ layout, flags: sources }: HostInventory['kubelet'], node: ApiNodeFacts): DescribedFlags {
  const [ours] = sources.filter(({ variable }) => variable !== 'KUBELET_KUBEADM_ARGS')
  const described = describeFlags(ours?.args ?? [], node)
  const kubeadm = sources.filter(({ variable, args }) => variable === 'KUBELET_KUBEADM_ARGS' && args.length > 0)
  const remarks = [...described.remarks, ...kubeadm.map(({ args, path }) => kubeadmRemark(args, path))]
  if (layout === undefined || (layout !== 'kubeadm' && described.remarks.length > 0)) return { flags: {}, remarks }
  return { flags: described.flags, remarks }
}

function kubeadmRemark(args: readonly string[], path: string): Remark {
  return remark('kubelet', args.join(' '), {
    why: `kubeadm writes these to ${path} at join and upgrade`,
    remedy: 'leave them to kubeadm; a flag of the pool wins over one of the same name',
  })
}

/** Of every layout, and of the agent's own unit. */
const OF_THE_UNIT = ['kubeconfig', 'bootstrap-kubeconfig', 'config']

/** The files and the process differ where somebody else sets flags, and where nobody restarted the kubelet. */
function commandRemarks({ flags, command }: HostInventory['kubelet']): Remark[] {
  if (command.length === 0) return []
  const inFiles = flags.flatMap(({ args }) => args)
  const [runs, stated] = [valuesByName(command), valuesByName(inFiles)]
  const others = [...runs.keys()].filter((name) => !stated.has(name) && !OF_THE_UNIT.includes(name))
  const missing = [...stated].filter(([name, values]) => runs.get(name)?.at(-1) !== values.at(-1)).map(([name]) => name)
  return [
    ...named(others, {
      why: 'the kubelet runs with it, and its unit or a drop-in of the unit says so',
      remedy: 'it stays there; a flag of the pool may win over it or not, as the unit orders them',
    }),
    ...named(missing, {
      why: 'the kubelet runs without this value: it was not restarted since the file changed, or the flag stands elsewhere, too',
      remedy: 'restart the kubelet, and import again',
    }),
  ]
}

function named(names: readonly string[], { why, remedy }: { readonly why: string; readonly remedy: string }): Remark[] {
  return names.length === 0 ? [] : [remark('kubelet', names.map((name) => `--${name}`).join(' '), { why, remedy })]
}

function describeVersion({
  kubelet: { layout, version, binary, package: installed },
  arch,
}: HostInventory): Pick<NodeDescription, 'version' | 'binary' | 'packaged' | 'remarks'> {
  const unmanaged = (what: string, why: string, remedy: string) => ({
    version: undefined,
    binary: undefined,
    remarks: [remark('kubelet', what, { why, remedy })],
  })
  if (layout === undefined)
    return unmanaged(
      `kubelet ${version ?? 'of unknown version'}`,
      'nothing on the host shows that kubeadm or an environment file configures it',
      'nodewave supports the layouts kubeadm, env and managed; see docs/install.md',
    )
  if (layout === 'env') return { version, binary: undefined, remarks: [] }
  if (installed !== undefined) {
    const manager = installed.manager ?? 'apt'
    const pattern = patternOf(installed.version, version)
    if (installed.held && pattern !== undefined)
      return { version, binary: undefined, packaged: { manager, version: pattern }, remarks: [] }
    return unmanaged(
      `kubelet ${version ?? 'of unknown version'}, package ${installed.name} ${installed.version}${installed.held ? '' : ', not held'}`,
      installed.held ? 'its version is not that of the kubelet' : 'to manage the package holds it',
      installed.held
        ? SEE_RELEASES
        : `run "${HOLD[manager]}" and "nodewave agent import" there, and import again; ${SEE_RELEASES}`,
    )
  }
  if (version === undefined || binary === undefined)
    return unmanaged(
      'the version of the kubelet',
      'there is no kubelet at /usr/bin/kubelet that says it',
      'set version and release',
    )
  return { version, binary: { arch, sha256: binary.sha256 }, remarks: [] }
}

const SEE_RELEASES = 'or write a KubeletRelease; see docs/host-profile.md, Packages'
const HOLD = { apt: 'apt-mark hold kubelet', dnf: 'dnf versionlock add kubelet', zypper: 'zypper addlock kubelet' } as const

/** As a KubeletRelease says it, for every version of the kubelet. */
function patternOf(installed: string, kubelet: string | undefined): string | undefined {
  const [before, after, ...more] = kubelet === undefined ? [] : installed.split(kubelet)
  return before === undefined || after === undefined || more.length > 0 ? undefined : `${before}{{version}}${after}`
}
