# Installs cua-driver from a release folder or archive for the current user; no administrator.
# Written with care and not run yet: there is no Windows release to run it with.
#
#   .\install.ps1 [-From FOLDER|ARCHIVE.zip] [-Prefix DIR] [-Sha256 SUM]
#   .\install.ps1 -Uninstall [-Prefix DIR]
#
# Without -From: the folder this script lies in. An archive is held against -Sha256, or against
# ARCHIVE.sha256 beside it; every file of the folder against its SHA256SUMS.
[CmdletBinding()]
param(
  [string]$From = $PSScriptRoot,
  [string]$Prefix = (Join-Path $env:LOCALAPPDATA 'cua-driver'),
  [string]$Sha256 = '',
  [switch]$Uninstall
)
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$Prefix = [IO.Path]::GetFullPath($Prefix)
$Lib = Join-Path $Prefix 'lib\cua-driver'
$Bin = Join-Path $Prefix 'bin\cua-driver.exe'
$Mark = Join-Path $Lib '.installed'

function Stop-Running {
  if (Test-Path -LiteralPath $Bin) {
    & $Bin status *> $null
    if ($LASTEXITCODE -eq 0) { & $Bin stop *> $null }
  }
}

function Test-Sums([string]$Folder) {
  $root = [IO.Path]::GetFullPath($Folder)
  foreach ($line in Get-Content -LiteralPath (Join-Path $Folder 'SHA256SUMS')) {
    if ($line -notmatch '^([0-9a-f]{64}) [ *](.+)$') { throw "SHA256SUMS: cannot read '$line'" }
    $path = [IO.Path]::GetFullPath((Join-Path $root $Matches[2]))
    if (-not $path.StartsWith($root, [StringComparison]::OrdinalIgnoreCase)) { throw "SHA256SUMS names $path, outside the folder" }
    $is = (Get-FileHash -Algorithm SHA256 -LiteralPath $path).Hash
    if ($is -ne $Matches[1]) { throw "$path does not fit SHA256SUMS; nothing was installed" }
  }
}

if ($Uninstall) {
  if (-not (Test-Path -LiteralPath $Mark)) {
    if (Test-Path -LiteralPath $Lib) { throw "$Lib was not made by this installer; nothing is removed" }
    Write-Output "cua-driver is not installed in $Prefix"
    exit 0
  }
  Stop-Running
  Remove-Item -LiteralPath $Bin -Force -ErrorAction SilentlyContinue
  Remove-Item -LiteralPath $Lib -Recurse -Force
  Write-Output "removed cua-driver from $Prefix (configuration and recordings stay)"
  exit 0
}

$Temp = $null
$New = $null
try {
  if (Test-Path -LiteralPath $From -PathType Leaf) {
    if (-not $Sha256) {
      if (-not (Test-Path -LiteralPath "$From.sha256")) { throw "no checksum: pass -Sha256, or put $From.sha256 beside the archive" }
      $Sha256 = ((Get-Content -LiteralPath "$From.sha256" -TotalCount 1) -split '\s+')[0]
    }
    $is = (Get-FileHash -Algorithm SHA256 -LiteralPath $From).Hash
    if ($is -ne $Sha256) { throw "the checksum of $From is $is, not $Sha256; nothing was installed" }
    $Temp = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    Expand-Archive -LiteralPath $From -DestinationPath $Temp
    $folders = @(Get-ChildItem -LiteralPath $Temp -Directory)
    if ($folders.Count -ne 1) { throw "$From does not hold one folder" }
    $From = $folders[0].FullName
  }
  $Program = Join-Path $From 'bin\cua-driver.exe'
  if (-not ((Test-Path -LiteralPath (Join-Path $From 'SHA256SUMS')) -and (Test-Path -LiteralPath $Program))) {
    throw "$From is not a release folder; make one with: cargo xtask dist"
  }
  Test-Sums $From
  if ((Test-Path -LiteralPath $Lib) -and -not (Test-Path -LiteralPath $Mark)) { throw "$Lib is there and was not made by this installer; move it away" }

  New-Item -ItemType Directory -Force -Path (Join-Path $Prefix 'bin'), (Join-Path $Prefix 'lib') | Out-Null
  $New = Join-Path $Prefix ('lib\.cua-driver-' + [IO.Path]::GetRandomFileName())
  Copy-Item -LiteralPath (Join-Path $From 'lib\cua-driver') -Destination $New -Recurse
  Stop-Running
  if (Test-Path -LiteralPath $Lib) { Remove-Item -LiteralPath $Lib -Recurse -Force }
  Move-Item -LiteralPath $New -Destination $Lib
  $New = $null
  Copy-Item -LiteralPath $Program -Destination $Bin -Force
  $Version = & $Bin --version
  Set-Content -LiteralPath $Mark -Value $Version
  Write-Output "installed $Version in $Prefix"

  $Dir = Join-Path $Prefix 'bin'
  $Path = [Environment]::GetEnvironmentVariable('Path', 'User')
  if (($Path -split ';') -notcontains $Dir) { Write-Output "add it to your PATH:  setx PATH `"$Dir;%PATH%`"" }
  if (-not (Get-Command node -ErrorAction SilentlyContinue)) { Write-Output 'Node.js 20 or newer is not installed: mcp, trajectory and recording render need it' }
  Write-Output 'next:  cua-driver doctor'
}
finally {
  foreach ($left in @($Temp, $New)) { if ($left -and (Test-Path -LiteralPath $left)) { Remove-Item -LiteralPath $left -Recurse -Force } }
}
