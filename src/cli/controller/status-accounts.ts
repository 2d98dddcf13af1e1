import { InvalidArgumentError } from 'commander'
import type { StatusAccounts } from '../../controller/other-clusters/status-accounts.ts'

/** `nodewave`, or `staging=nodewave-staging`; given as often as wanted. @throws {InvalidArgumentError} */
export function addStatusAccount(text: string, before: StatusAccounts = new Map()): StatusAccounts {
  const [, cluster = '', account = ''] = /^(?:([^=]*)=)?([^=]*)$/.exec(text) ?? []
  if (account === '' || text.startsWith('='))
    throw new InvalidArgumentError('expected the name of an account, or CLUSTER=ACCOUNT')
  const other = before.get(cluster)
  if (other !== undefined && other !== account)
    throw new InvalidArgumentError(`"${cluster === '' ? other : `${cluster}=${other}`}" is given already; give one of the two`)
  return new Map(before).set(cluster, account)
}
