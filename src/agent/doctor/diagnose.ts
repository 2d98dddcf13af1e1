import { HOST_POLICY } from '../paths.ts'
import type { ServiceState } from '../ports.ts'
import type { Facts, Looked } from './facts.ts'
import { type Finding, failed, ok, warned } from './finding.ts'
import { policyFindings } from './policy-findings.ts'
import { portFindings } from './port-findings.ts'

const MIB = 1024 * 1024
/** Bytes: a staged kubelet is some 80 MB, and two of them may lie there besides the one that runs. */
const NEEDED = 512 * MIB
const OTHERS = 0o077

/** Each line of what stands in the way of the agent on a host, and of what its owner forbids. */
export function diagnose(facts: Facts): Finding[] {
  return [
    facts.isRoot
      ? ok('user', 'runs as root')
      : warned('user', 'does not run as root, and may not see everything', 'run it with sudo'),
    ...policyOf(facts),
    cgroup(facts),
    swap(facts),
    clock(facts),
    ...stateDirectory(facts),
    disk(facts),
    packages(facts),
    kubeconfig(facts),
    dns(facts),
    api(facts),
    ...facts.units.map(({ name, state }) => unit(name, state)),
    ...portFindings(facts),
    facts.kubelet.ok
      ? ok('kubelet health', facts.kubelet.detail)
      : warned('kubelet health', facts.kubelet.detail, 'journalctl -u kubelet -n 50; see healthzPort if it listens elsewhere'),
  ]
}

function policyOf({ policy, missingPrograms }: Facts): Finding[] {
  if ('value' in policy) return policyFindings(policy.value, missingPrograms)
  return [failed('host policy', policy.error, `correct "${HOST_POLICY}": until then the agent applies nothing`)]
}

function cgroup({ cgroup: version, failCgroupV1 }: Facts): Finding {
  if (version === 'v2') return ok('cgroup', 'v2')
  if (failCgroupV1 === false) return ok('cgroup', 'v1, and the kubelet has failCgroupV1: false')
  const which = failCgroupV1 ? 'a kubelet with failCgroupV1: true' : 'a kubelet from 1.35 on'
  return warned(
    'cgroup',
    `v1: ${which} does not start`,
    'boot with systemd.unified_cgroup_hierarchy=1, or set failCgroupV1: false',
  )
}

function swap({ swaps }: Facts): Finding {
  if (swaps.length === 0) return ok('swap', 'off')
  return warned(
    'swap',
    `on: ${swaps.join(', ')}; a kubelet does not start unless failSwapOn is false`,
    'swapoff -a, and take it out of /etc/fstab',
  )
}

/** A host without a package manager lacks nothing, unless packages are assigned to it. */
function packages({ packages: found }: Facts): Finding {
  if ('error' in found) return ok('packages', `not managed here: ${found.error}`)
  const { isInterrupted, holder, format } = found.value
  if (holder !== undefined) return ok('packages', `${holder} has the package database at the moment`)
  if (!isInterrupted) return ok('packages', `${format.programs} are ready`)
  return warned('packages', `${format.programs} were interrupted, or a package is half installed`, format.finish)
}

function clock({ clockSynchronized: found }: Facts): Finding {
  const remedy = 'start a time service, such as systemd-timesyncd or chrony'
  if ('error' in found) return warned('clock', `cannot be judged: ${found.error}`, 'timedatectl')
  return found.value === 'yes' ? ok('clock', 'synchronized') : warned('clock', 'not synchronized', remedy)
}

function stateDirectory({ stateDirectory: path, state }: Facts): Finding[] {
  if ('error' in state.inside) return [warned('state directory', `cannot be judged: ${state.inside.error}`, 'run it with sudo')]
  const { stat, isUnclean, hasOpenJournal } = state.inside.value
  const notes = [
    ...(isUnclean
      ? [
          failed(
            'state',
            `"${path}" says that a change could not be undone`,
            'assign a configuration that works; see docs/agent.md',
          ),
        ]
      : []),
    ...(hasOpenJournal
      ? [warned('state', 'a change is under way, or was interrupted', 'the agent finishes or undoes it when it runs')]
      : []),
  ]
  if (stat === undefined) return [ok('state directory', `"${path}" does not exist yet`), ...notes]
  if (stat.type !== 'directory') return [failed('state directory', `"${path}" is no directory`, 'remove it'), ...notes]
  if (stat.uid !== 0 || (stat.mode & OTHERS) !== 0)
    return [failed('state directory', `others than root may enter "${path}"`, `chown root: ${path}; chmod 700 ${path}`), ...notes]
  return [ok('state directory', `"${path}", for root only`), ...notes]
}

function disk({ stateDirectory: path, state: { freeBytes: found } }: Facts): Finding {
  if ('error' in found) return warned('disk', `cannot be judged: ${found.error}`, `df ${path}`)
  const shown = `${Math.floor(found.value / MIB)} MiB free for "${path}"`
  return found.value >= NEEDED
    ? ok('disk', shown)
    : failed('disk', `${shown}, fewer than ${NEEDED / MIB}`, 'free some space, or move it with --state-directory')
}

function kubeconfig({ kubeconfig: { path, stat, problem } }: Facts): Finding {
  if (stat === undefined)
    return failed('kubeconfig', `"${path}" does not exist`, 'join the node to the cluster, or name a file with --kubeconfig')
  if (problem !== undefined) return failed('kubeconfig', problem, 'compare it with that of a node that works')
  if ((stat.mode & OTHERS) !== 0) return warned('kubeconfig', `others than its owner may read "${path}"`, `chmod 600 ${path}`)
  return ok('kubeconfig', `"${path}"`)
}

const NO_SERVER = ['not checked: the kubeconfig names no server', 'correct the kubeconfig first'] as const

function dns({ server: { host, addresses: found } }: Facts): Finding {
  if (host === '') return warned('DNS', ...NO_SERVER)
  if ('error' in found)
    return failed('DNS', `no address for "${host}": ${found.error}`, 'check /etc/resolv.conf, and the server in the kubeconfig')
  return ok('DNS', `"${host}" is ${found.value.join(', ')}`)
}

function api({ server: { host, node: found } }: Facts): Finding {
  if (host === '') return warned('API server', ...NO_SERVER)
  if ('error' in found)
    return failed('API server', found.error, `check the network to "${host}", --node-name and the credentials`)
  return ok('API server', `answers, and has the Node "${found.value}"`)
}

function unit(name: string, found: Looked<ServiceState>): Finding {
  const about = `unit ${name}`
  if ('error' in found) return warned(about, `cannot be judged: ${found.error}`, `systemctl status ${name}`)
  const { exists, active, enabled, restarts } = found.value
  if (!exists) return failed(about, 'is not installed', 'see docs/install.md')
  if (active !== 'active') return failed(about, `is ${active}`, `systemctl status ${name}; journalctl -u ${name} -n 50`)
  if (!enabled) return warned(about, 'runs, and is not started at boot', `systemctl enable ${name}`)
  return ok(about, restarts > 0 ? `runs, and was restarted ${restarts} times` : 'runs')
}
