/** The account that each cluster posts its statuses as; under the empty name, that of all others. */
export type StatusAccounts = ReadonlyMap<string, string>

/** Whose statuses are those of a cluster; undefined: nobody's. */
export function accountOf(accounts: StatusAccounts, cluster: string | undefined): string | undefined {
  return accounts.get(cluster ?? '') ?? accounts.get('')
}

/** Whether some cluster posts as this account. */
export function isOfCluster(accounts: StatusAccounts, account: string): boolean {
  return [...accounts.values()].some((each) => isSameAccount(each, account))
}

/** Names of accounts are the same in upper and lower case. */
export function isSameAccount(name: string, account: string): boolean {
  return name.toLowerCase() === account.toLowerCase()
}
