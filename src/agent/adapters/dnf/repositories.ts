export const REPOSITORIES = '/etc/yum.repos.d'
