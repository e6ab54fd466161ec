# The completion of piyasa for fish: piyasa completion fish > /usr/share/fish/vendor_completions.d/piyasa.fish
function __piyasa_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete -- $words[2..] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $words[-1])
            case :folders
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $words[-1])
            case '*'
                echo $line
        end
    end
end
complete -c piyasa -f -a '(__piyasa_complete)'
