import { type Finding, ok, warned } from '../../agent/doctor/finding.ts'
import type { Need, Role } from './needed-rights.ts'

const REMEDIES: Readonly<Record<Role, string>> = {
  operator: 'ask an administrator for the roles of deploy/operator-rbac.yaml, whose head has the commands that bind them',
  controller: 'kubectl apply -f deploy/controller-rbac.yaml, and start the controller as the service account that it binds',
}

/** A line for each thing that the caller lacks rights for. */
export function rightFindings(missing: readonly Need[], role: Role): Finding[] {
  if (missing.length === 0)
    return [ok('rights', `you may do what ${role === 'operator' ? 'an operator' : 'the controller'} does`)]
  const byPurpose = Map.groupBy(missing, ({ purpose }) => purpose)
  return [...byPurpose].map(([purpose, needs]) =>
    warned('rights', `for ${purpose} you may not ${needs.map(shown).join('; ')}`, REMEDIES[role]),
  )
}

/** `get, patch configmaps "nodewave-fleet" in nodewave-system` */
function shown({ verbs, resource, group, name, namespace }: Need): string {
  const [plural, subresource] = resource.split('/')
  const kind = [group === undefined ? plural : `${plural}.${group}`, ...(subresource === undefined ? [] : [subresource])].join(
    '/',
  )
  return [verbs.join(', '), kind, ...(name ? [`"${name}"`] : []), ...(namespace ? [`in ${namespace}`] : [])].join(' ')
}
