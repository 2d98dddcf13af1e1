import { type Finding, failed, ok, warned } from '../../agent/doctor/finding.ts'
import { FLEET_CONFIG_MAP } from '../../protocol/names.ts'
import { KUBE_REMEDIES } from '../error-text.ts'
import { counted, nameList } from '../paint.ts'
import type { FirstCommitTrouble } from '../status/first-commit.ts'
import { isReady } from '../status/pool-view.ts'
import { agentFindings } from './agent-findings.ts'
import { clockFindings } from './clock-findings.ts'
import type { ClusterFacts, Leader, Looked, Unseen } from './cluster-facts.ts'
import type { Role } from './needed-rights.ts'
import { rightFindings } from './right-findings.ts'

export interface JudgeContext {
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly now: number
  /** Whose rights the caller is to have. */
  readonly role: Role
  /** Of this command. */
  readonly version: string
  /** Of the controller. */
  readonly namespace: string
}

/** A line for each thing that a nodewave needs of its cluster, with what to do where it lacks. */
export function judgeCluster(facts: ClusterFacts, context: JudgeContext): Finding[] {
  const { server } = facts
  if ('error' in server && isOutOfReach(server)) return [failed('API server', server.error, KUBE_REMEDIES[server.code] ?? '')]
  return [
    from('API server', server, (version) => ok('API server', version)),
    ...clocks(facts, context),
    ...('value' in facts.missingRights
      ? rightFindings(facts.missingRights.value, context.role)
      : [unseen('rights', facts.missingRights)]),
    kinds(facts, context),
    from('admission', facts.policies, (found) => from('admission', facts.enforced, (enforced) => admission(found, enforced))),
    controller(facts, context),
    ...fleetControls(facts, context),
    ...repository(facts),
    ...pools(facts),
    ...('value' in facts.nodes ? agentFindings(facts.nodes.value, context) : [unseen('agents', facts.nodes)]),
  ]
}

function clocks({ serverTime, nodes }: ClusterFacts, { now }: JudgeContext): Finding[] {
  if ('error' in serverTime) return [unseen('clocks', serverTime)]
  return clockFindings({ server: serverTime.value, own: now, nodes: 'value' in nodes ? nodes.value : [] })
}

function from<T>(check: string, looked: Looked<T>, judge: (value: T) => Finding): Finding {
  return 'value' in looked ? judge(looked.value) : unseen(check, looked)
}

/** It did not answer, or not to this credential: nothing else can be asked either. */
function isOutOfReach({ code }: Unseen): boolean {
  return code === 0 || code === 401
}

function unseen(check: string, { error, code }: Unseen): Finding {
  const remedy =
    code === 403
      ? 'ask with a credential that may read it: deploy/operator-rbac.yaml'
      : 'ask again; see the log of the API server'
  return warned(check, `cannot be judged: ${error}`, remedy)
}

const INSTALL_KINDS = 'kubectl apply -f deploy/crds/nodepools.yaml -f deploy/crds/ceilings.yaml'

/** A controller starts without the kind Ceiling only with --no-ceiling. */
function kinds({ pools: found, hasCeilings, leader, serverTime }: ClusterFacts, { now }: JudgeContext): Finding {
  if ('error' in found) return unseen('kinds', found)
  if (found.value === undefined) return failed('kinds', 'NodePool is not installed', INSTALL_KINDS)
  if ('value' in hasCeilings && !hasCeilings.value) {
    if (!('value' in leader) || !isLeading(leader.value, timeOf(serverTime, now)))
      return failed('kinds', 'Ceiling is not installed', INSTALL_KINDS)
    return warned(
      'kinds',
      'Ceiling is not installed: the controller runs with --no-ceiling',
      `unless that is meant: ${INSTALL_KINDS}`,
    )
  }
  return ok('kinds', 'NodePool and Ceiling are installed')
}

/** Those of deploy/admission.yaml. */
const POLICY_NAMES = ['nodewave-keys', 'nodewave-payload-access']

/** A policy does nothing without a binding. */
function admission(found: readonly string[], enforced: readonly string[]): Finding {
  const missing = POLICY_NAMES.filter((name) => !found.includes(name))
  const idle = POLICY_NAMES.filter((name) => found.includes(name) && !enforced.includes(name))
  if (missing.length + idle.length === 0) return ok('admission', 'only the controller assigns configuration to nodes')
  const problems = [
    ...(missing.length === 0 ? [] : [`${policies(missing)} missing`]),
    ...(idle.length === 0 ? [] : [`policy ${idle.join(', ')} has no binding that denies`]),
  ]
  const message = `${problems.join(', ')}: whoever may patch Nodes can assign configuration, which agents apply as root`
  return warned('admission', message, 'kubectl apply -f deploy/admission.yaml')
}

function policies(names: readonly string[]): string {
  return names.length === 1 ? `policy ${names[0]} is` : `policies ${names.join(' and ')} are`
}

/** The clock of this machine may be wrong. */
function timeOf(serverTime: Looked<number>, own: number): number {
  return 'value' in serverTime ? serverTime.value : own
}

function isLeading(leader: Leader | undefined, now: number): boolean {
  return leader !== undefined && leader.holder !== '' && now - leader.renewedAt <= 2 * leader.leaseDuration
}

function controller({ leader, serverTime }: ClusterFacts, { now, version, namespace }: JudgeContext): Finding {
  if ('error' in leader) return unseen('controller', leader)
  if (leader.value === undefined || leader.value.holder === '')
    return failed(
      'controller',
      'none leads',
      'start it: docs/install.md; is --namespace the one that it runs in? One with --leader-elect=false cannot be seen',
    )
  const { holder, renewedAt, leaseDuration, version: its = 'unknown' } = leader.value
  const age = timeOf(serverTime, now) - renewedAt
  if (age > 2 * leaseDuration)
    return failed(
      'controller',
      `"${holder}" led last, ${seconds(age)} ago`,
      `kubectl -n ${namespace} get pods; kubectl -n ${namespace} logs deployment/nodewave-controller`,
    )
  if (age < -leaseDuration)
    return warned(
      'controller',
      `"${holder}" leads, and its clock is ${seconds(-age)} ahead of ${'value' in serverTime ? "the API server's" : "this machine's"}`,
      'set the clock of either by NTP',
    )
  if (its !== version)
    return warned(
      'controller',
      `"${holder}" leads, version ${its}; this command is ${version}`,
      'use the command of the same release as the controller',
    )
  return ok('controller', `"${holder}" leads, version ${its}`)
}

/** Somebody may have deleted it: better found out before it is needed. In a namespace without a controller it would pause nothing. */
function fleetControls({ hasFleetControls: found, leader }: ClusterFacts, { namespace }: JudgeContext): Finding[] {
  if (!('value' in found) || found.value || !('value' in leader) || leader.value === undefined) return []
  const message = `ConfigMap "${FLEET_CONFIG_MAP}" is missing in namespace "${namespace}": nobody can pause the whole fleet`
  return [warned('controller', message, `kubectl -n ${namespace} create configmap ${FLEET_CONFIG_MAP}`)]
}

function repository({ trouble, unreadable, pools: found }: ClusterFacts): Finding[] {
  if ('value' in found && found.value !== undefined && found.value.length > 0) return unreadable ? [unread(unreadable)] : []
  if (trouble === undefined) return []
  return [
    failed('repository', `${trouble.reason}: ${trouble.message}`, 'nodewave validate in a clone of it, then push the correction'),
  ]
}

/** Pools stay as they are meanwhile, and say nothing of it. */
function unread({ at, message }: FirstCommitTrouble): Finding {
  return warned(
    'repository',
    `could not be read at ${at}: ${message}`,
    'unless nodewave_git_readable is 1 again: see the log of the controller, and docs/git.md for addresses and credentials',
  )
}

function pools({ pools: found }: ClusterFacts): Finding[] {
  if (!('value' in found) || found.value === undefined) return []
  if (found.value.length === 0) return [warned('pools', 'there are none', 'push a fleet: README.md, "Your first fleet"')]
  const troubled = found.value.filter((pool) => !isReady(pool))
  const [first] = troubled
  if (!first) return [ok('pools', `${counted(found.value.length, 'pool')}, all Ready`)]
  const named = troubled.map(({ name, status }) => {
    const reason = status.conditions?.find(({ type }) => type === 'Ready')?.reason ?? 'no status yet'
    return `${name} (${reason})`
  })
  return [warned('pools', `not Ready: ${nameList(named, 5)}`, `nodewave status ${first.name}`)]
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`
}
